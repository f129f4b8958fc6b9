import { type Client, createClient, isProblem } from '../../../client/src/index.ts';
import type { Locale } from '../../../src/kernel/locale.ts';
import type { Me } from './access.ts';

/** What the tabs tell each other: who has signed in, or null after a sign-out. */
interface Told {
  userId: number | null;
}

/**
 * Who is signed in. The refresh token is in a cookie that scripts cannot read, the access token only in the memory of this object.
 * All tabs share the cookie. So a tab that signs in or out tells the others.
 */
export class Session {
  readonly client: Client;
  me: Me | null = null;
  readonly #tabs = new BroadcastChannel('tessera-console');
  /** Called when somebody signs in or out. */
  onChange: () => void = () => {};

  constructor(locale: () => Locale) {
    this.client = createClient({
      hosts: `${location.origin}/v1`,
      session: 'cookie',
      hooks: { onRequest: ({ headers }) => headers.set('accept-language', locale()) },
      onTokens: (tokens) => {
        if (tokens === null && this.me) this.#set(null);
      },
    });
    this.#tabs.addEventListener('message', ({ data }: MessageEvent<Told>) => this.#heard(data));
  }

  /** Continues the session of the cookie, if there is one. */
  async resume(): Promise<void> {
    try {
      this.#set(await this.client.auth.me());
    } catch (error) {
      if (!isProblem(error) || error.status !== 401) throw error;
    }
  }

  async reload(): Promise<void> {
    this.#set(await this.client.auth.me());
  }

  /** Call it with the user of a log-in. */
  signedIn(me: Me): void {
    this.#tell({ userId: me.id });
    this.#set(me);
  }

  async signOut(): Promise<void> {
    await this.client.auth.logout();
    this.#tell({ userId: null });
    this.#set(null);
  }

  #tell(told: Told): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel has no target origin.
    this.#tabs.postMessage(told);
  }

  /** Another tab has changed the cookie. Data of another user must not stay on the screen. */
  #heard({ userId }: Told): void {
    if (userId === (this.me?.id ?? null)) return;
    if (userId === null) this.#set(null);
    else location.reload();
  }

  #set(me: Me | null): void {
    this.me = me;
    this.onChange();
  }
}
