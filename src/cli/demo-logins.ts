import type { DemoPasswords } from '../demo/passwords.ts';
import { type DemoPerson, people } from '../demo/people.ts';

/** One line per demo account: e-mail, password, role. */
export const demoLogins = (passwords: DemoPasswords): string[] =>
  Object.values<DemoPerson>(people).map(({ email, shows }) => `    ${email.padEnd(20)} ${passwords.get(email)}  ${shows}`);
