import type { Area } from '../app/area.ts';
import { accountArea } from './account/area.ts';
import { createArea } from './create/area.ts';
import { eventsArea } from './events/area.ts';
import { overviewArea } from './overview/area.ts';
import { producerArea } from './producer/area.ts';
import { reportsArea } from './reports/area.ts';
import { settingsArea } from './settings/area.ts';
import { signInArea } from './sign-in/area.ts';
import { ticketsArea } from './tickets/area.ts';

/** All areas of the console. In each, paths without parameters come before those with parameters. */
export const areas: readonly Area[] = [
  eventsArea,
  createArea,
  overviewArea,
  ticketsArea,
  reportsArea,
  settingsArea,
  signInArea,
  accountArea,
  producerArea,
];
