/** Keeps the screen on while the app is in view. Browsers drop the lock when the app is hidden. */
export function keepScreenOn(): () => void {
  let lock: WakeLockSentinel | null = null;
  const request = async () => {
    if (document.hidden) return;
    lock = (await navigator.wakeLock?.request('screen').catch(() => null)) ?? null;
  };
  const onChange = () => void request();
  onChange();
  document.addEventListener('visibilitychange', onChange);
  return () => {
    document.removeEventListener('visibilitychange', onChange);
    void lock?.release();
  };
}
