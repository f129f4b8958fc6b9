import type { DoorInfo } from './api.ts';
import { type DoorDatabase, isStorageFull } from './database.ts';

export type Credentials =
  | { kind: 'device'; token: string; eventId: number }
  | { kind: 'user'; name: string; accessToken: string; refreshToken: string };

export interface Choice {
  eventId: number;
  /** Null: the server chooses the session of each ticket. */
  sessionId: number | null;
  gate: string;
}

/** What the app remembers between visits. */
interface Values {
  credentials: Credentials;
  /** The name of this device in the log of the server. It never changes. */
  device: string;
  choice: Choice;
  info: DoorInfo;
  clockOffset: number;
  locale: string;
  silent: boolean;
}

export class Settings {
  readonly #db: DoorDatabase;

  constructor(db: DoorDatabase) {
    this.#db = db;
  }

  async get<K extends keyof Values>(key: K): Promise<Values[K] | undefined> {
    return (await this.#db.get('settings', key)) as Values[K] | undefined;
  }

  /** Without space on the device, a setting lasts only until the app is closed. */
  async set<K extends keyof Values>(key: K, value: Values[K]): Promise<void> {
    await this.#db.put('settings', value, key).catch((error: unknown) => {
      if (!isStorageFull(error)) throw error;
    });
  }

  async delete(key: keyof Values): Promise<void> {
    await this.#db.delete('settings', key);
  }

  async deviceName(): Promise<string> {
    const known = await this.get('device');
    const name = known ?? `door-${crypto.randomUUID().slice(0, 8)}`;
    if (!known) await this.set('device', name);
    return name;
  }
}
