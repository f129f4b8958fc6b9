import { useConsole } from '../../app/console.ts';
import { useToast } from '../../app/toasts.tsx';
import { errorText } from '../../parts/show.tsx';

/** Sends a change, says why it failed, and then reads the page again in both cases. */
export function useAttempt(onChange: () => unknown): (work: () => Promise<unknown>) => Promise<void> {
  const { t } = useConsole();
  const toast = useToast();
  return async (work) => {
    try {
      await work();
    } catch (error) {
      toast(errorText(t, error), { tone: 'bad' });
    }
    await onChange();
  };
}
