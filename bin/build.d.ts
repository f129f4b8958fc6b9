export function buildChanges(): Promise<boolean>;
