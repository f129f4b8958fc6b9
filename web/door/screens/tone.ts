import type { Answer } from '../answer.ts';
import type { Tone } from '../feedback.ts';

const tones: Record<Answer['result'], Tone> = {
  admitted: 'ok',
  already_used: 'bad',
  wrong_session: 'warn',
  refunded: 'bad',
  unknown: 'bad',
  not_yet_valid: 'warn',
  exited: 'ok',
  not_inside: 'warn',
  not_allowed: 'warn',
  noData: 'warn',
  storageFull: 'bad',
};

export const toneOf = ({ result }: Answer): Tone => tones[result];
