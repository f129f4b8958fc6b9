import { parseArgs } from 'node:util';
import { startStandIn } from './stand-in.ts';

/**
 * Runs the stand-in as a process of its own:
 *
 *     node --import ./test/typescript.js test/stripe/serve.ts --port 4242 --state-file /tmp/stripe.jsonl
 *
 * It prints its address when it is ready. The control functions are at `/_control/…`; see `connectTo` in remote.ts.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'state-file': { type: 'string' },
    'secret-key': { type: 'string' },
    account: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string' },
    // The stand-in ends when its standard input ends, so that it does not outlive the test that started it.
    'until-input-ends': { type: 'boolean', default: false },
    'webhook-url': { type: 'string' },
    'webhook-secret': { type: 'string' },
    'webhook-delivery': { type: 'string', default: 'at_once' },
  },
});

const { 'state-file': stateFile, 'secret-key': secretKey, 'webhook-url': url, 'webhook-secret': secret, seed } = values;
const delivery = values['webhook-delivery'] === 'held' ? 'held' : 'at_once';
const standIn = await startStandIn({
  port: Number(values.port),
  accounts: values.account,
  ...(stateFile && { stateFile }),
  ...(secretKey && { secretKey }),
  ...(seed && { seed: Number(seed) }),
  ...(url && secret && { endpoint: { url, secret, delivery } }),
});
if (values['until-input-ends']) process.stdin.resume().on('end', () => process.exit());
console.log(`The Stripe stand-in is ready at ${standIn.origin}`);
