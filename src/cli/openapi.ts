import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeApi } from '../app.ts';
import { type Command, readArguments } from './command.ts';

const file = fileURLToPath(new URL('../../openapi.json', import.meta.url));

export const openapi: Command = {
  summary: 'generate openapi.json from the contracts',
  usage: 'tessera openapi\n\nThe file is committed. A test fails when it does not match the contracts.',
  async run(args, { print }) {
    readArguments(args, 0, {});
    writeFileSync(file, `${JSON.stringify(describeApi(), null, 2)}\n`);
    print('Wrote openapi.json.');
  },
};
