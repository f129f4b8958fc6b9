import { generate } from 'lean-qr';
import { createDevice } from '../door/devices.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Command, type CommandContext, readArguments, UsageError } from './command.ts';
import { withDatabase } from './open-database.ts';

export const device: Command = {
  summary: 'add a device for the door of an event',
  usage: `tessera device add EVENT NAME [--gate GATE]

Prints a link and its QR code. Scan the code with the phone: it opens the door app and signs the phone in. The link is shown only once, and
is valid until 7 days after the last session ends. Whoever has it can check in tickets of this event. Revoke it in the console, or with
DELETE /event/EVENT/devices/ID.`,
  async run(args, context) {
    const [verb = '', ...rest] = args;
    if (verb !== 'add') throw new UsageError(verb ? `Unknown action: ${verb}. Use add.` : 'The action is missing. Use add.');
    await add(rest, context);
  },
};

async function add(args: string[], context: CommandContext): Promise<void> {
  const { config, print } = context;
  const { positionals, values } = readArguments(args, 2, { gate: { type: 'string' } });
  const [event = '', name = ''] = positionals;
  if (!/^[1-9]\d{0,14}$/.test(event)) throw new UsageError('EVENT must be an id: a positive whole number.');
  const body = { name: readLine('NAME', name), ...(values.gate !== undefined && { gate: readLine('--gate', values.gate) }) };
  const created = await withDatabase(context, ({ db, clock }) =>
    inTransaction(db, {}, (tx) => createDevice(tx, systemAct('device add', clock()), Number(event), body, config.publicUrl)),
  );
  print(`Device ${created.id} (${created.name}) of event ${event}, valid until ${created.expiresAt}:\n`);
  print(drawQr(created.link));
  print(created.link);
}

function readLine(argument: string, text: string): string {
  const line = text.trim();
  if (line.length === 0 || line.length > 100 || /\p{Cc}/u.test(line)) throw new UsageError(`${argument} must have 1 to 100 characters.`);
  return line;
}

/** Draws two rows of modules per line of text, white on black with a margin, so that phones read it on terminals of any colour. */
function drawQr(text: string): string {
  const code = generate(text);
  const margin = 2;
  const isWhite = (x: number, y: number): boolean => !code.get(x, y);
  const places = Array.from({ length: code.size + 2 * margin }, (_, i) => i - margin);
  const lines = places.filter((y) => (y + margin) % 2 === 0).map((y) => places.map((x) => half(isWhite(x, y), isWhite(x, y + 1))).join(''));
  return lines.map((line) => `\u001b[97;40m${line}\u001b[0m`).join('\n');
}

const half = (upper: boolean, lower: boolean): string => (upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ');
