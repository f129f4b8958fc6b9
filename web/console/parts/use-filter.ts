import { useEffect, useRef, useState } from 'preact/hooks';
import { navigate, to, usePlace } from '../app/place.ts';

const typingMs = 250;

/**
 * A filter of a list that is part of the address, so that it can be sent as a link and survives the back button:
 * `const [term, setTerm, typed] = useFilter('term')`. `typed` changes with every letter, `term` when the reader stops typing.
 */
export function useFilter(name: string): [value: string, set: (value: string) => void, typed: string] {
  const place = usePlace();
  const value = place.query.get(name) ?? '';
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isTyping = useRef(false);
  useEffect(() => {
    if (!isTyping.current) setTyped(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const set = (next: string) => {
    setTyped(next);
    isTyping.current = true;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      isTyping.current = false;
      const query = new URLSearchParams(location.search);
      query.set(name, next);
      navigate(to(place.path, Object.fromEntries(query)), { replace: true });
    }, typingMs);
  };
  return [value, set, typed];
}
