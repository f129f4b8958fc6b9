export interface TryOptions {
  quick: boolean;
}

/** One thing that was tried. */
export interface Attempt {
  title: string;
  /** The titles of the `describe` blocks around it, outermost first. */
  blocks: string[];
  passed: boolean;
}

/** Whether this attempt is the test of that title, or in the block of that title. */
export const isNamed = ({ title, blocks }: Attempt, name: string): boolean => title === name || blocks.includes(name);
