export interface TryOptions {
  quick: boolean;
}

/** The result of one test or check. */
export interface Attempt {
  title: string;
  /** The titles of the `describe` blocks that contain the test, outermost first. */
  blocks: string[];
  passed: boolean;
}

/** Whether the test has this title, or is in a `describe` block with this title. */
export const isNamed = ({ title, blocks }: Attempt, name: string): boolean => title === name || blocks.includes(name);
