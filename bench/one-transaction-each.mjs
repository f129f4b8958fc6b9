// Loaded into the service with --import: every request runs in a transaction of its own, by the same rules. The control of figure S2.
import { batchLimits } from '../dist/http/batch-requests.js';

Object.assign(batchLimits, { size: 1, sharedSize: 1, further: 1, inFlight: 20, running: 20, open: 20 });
