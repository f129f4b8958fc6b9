// Loaded into a service process with --import. Every request runs in its own transaction instead of a batch. This is the control of figure
// S2 in bench/.
import { batchLimits } from '../../dist/service/batch-queue.js';

Object.assign(batchLimits, { size: 1, sharedSize: 1, further: 1, inFlight: 20, running: 20, openShare: 1 });
