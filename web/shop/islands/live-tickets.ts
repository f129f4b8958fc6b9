import { useEffect, useState } from 'preact/hooks';
import type { TicketGroup } from '../../../src/storefront/contract.ts';
import type { TicketChoice } from '../../../src/web/contract.ts';

const pollMs = 5_000;
/** Responses for an access code are not cached on the server, so they are requested less often. */
const pollWithCodeMs = 15_000;

function address({ eventId, sessionId, passkey }: TicketChoice): string {
  const session = sessionId === null ? '' : `/session/${sessionId}`;
  const query = passkey === null ? '' : `?passkey=${encodeURIComponent(passkey)}`;
  return `/v1/event/${eventId}${session}/tickets${query}`;
}

/**
 * Returns the tickets and keeps them up to date while the page is visible. The browser sends the ETag of the last response by itself, so an
 * unchanged list costs the server almost nothing. `onChange` runs before a changed list is shown.
 */
export function useLiveTickets(choice: TicketChoice, onChange: (next: readonly TicketGroup[]) => void): readonly TicketGroup[] {
  const [groups, setGroups] = useState(choice.groups);
  useEffect(() => {
    if (choice.isPreview) return undefined;
    let last = JSON.stringify(choice.groups);
    let timer: ReturnType<typeof setTimeout>;
    const wait = choice.passkey === null ? pollMs : pollWithCodeMs;

    async function poll(): Promise<void> {
      if (document.visibilityState === 'visible') {
        const response = await fetch(address(choice), { cache: 'no-cache', credentials: 'omit' }).catch(() => null);
        if (response?.ok) {
          const { data } = (await response.json()) as { data: TicketGroup[] };
          const next = JSON.stringify(data);
          if (next !== last) {
            last = next;
            onChange(data);
            setGroups(data);
          }
        }
      }
      timer = setTimeout(() => void poll(), wait);
    }

    const onVisible = () => {
      if (document.visibilityState !== 'visible') return;
      clearTimeout(timer);
      void poll();
    };
    timer = setTimeout(() => void poll(), wait);
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
    // The choice comes from the page and never changes.
  }, []);
  return groups;
}
