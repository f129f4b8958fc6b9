import type { Area } from '../app/area.ts';
import { accountArea } from './account/area.ts';
import { eventsArea } from './events/area.ts';
import { overviewArea } from './overview/area.ts';
import { producerArea } from './producer/area.ts';
import { reportsArea } from './reports/area.ts';
import { signInArea } from './sign-in/area.ts';

/** All areas of the console. In each, paths without parameters come before those with parameters. */
export const areas: readonly Area[] = [eventsArea, signInArea, accountArea, producerArea, overviewArea, reportsArea];
