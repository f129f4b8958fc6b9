import type { Area } from '../app/area.ts';
import { accountArea } from './account/area.ts';
import { boxOfficeArea } from './box-office/area.ts';
import { codesArea } from './codes/area.ts';
import { createArea } from './create/area.ts';
import { doorArea } from './door/area.ts';
import { eventsArea } from './events/area.ts';
import { guestsArea } from './guests/area.ts';
import { homeArea } from './home/area.ts';
import { ordersArea } from './orders/area.ts';
import { overviewArea } from './overview/area.ts';
import { platformArea } from './platform/area.ts';
import { producerArea } from './producer/area.ts';
import { reportsArea } from './reports/area.ts';
import { settingsArea } from './settings/area.ts';
import { signInArea } from './sign-in/area.ts';
import { teamArea } from './team/area.ts';
import { ticketsArea } from './tickets/area.ts';
import { waitingListArea } from './waiting-list/area.ts';

/** All areas of the console. In each, paths without parameters come before those with parameters. */
export const areas: readonly Area[] = [
  eventsArea,
  createArea,
  overviewArea,
  reportsArea,
  signInArea,
  accountArea,
  producerArea,
  ticketsArea,
  ordersArea,
  boxOfficeArea,
  waitingListArea,
  guestsArea,
  doorArea,
  codesArea,
  teamArea,
  platformArea,
  homeArea,
  settingsArea,
];
