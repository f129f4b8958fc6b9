const key = 'tessera-print-sales';

/** Whether this computer prints the tickets after each sale. It does until the seller turns it off. */
export const readPrints = (): boolean => localStorage.getItem(key) !== 'no';
export const storePrints = (prints: boolean): void => localStorage.setItem(key, prints ? 'yes' : 'no');
