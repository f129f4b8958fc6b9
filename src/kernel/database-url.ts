/** A database URL with one or more hosts, such as `postgres://user:password@a:5432,b:5432/shop?target_session_attrs=read-write`. */
export interface DatabaseUrl {
  /** One URL for each host, in the given order. */
  urls: readonly string[];
  /** Which of the hosts to use, in the words of libpq. Null if the URL does not say. */
  target: string | null;
}

const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?$/;

/** Returns null if the text is not a database URL. `pg` and the class URL know only one host, so the hosts are separated here. */
export function parseDatabaseUrl(text: string): DatabaseUrl | null {
  const [, start = '', hosts = '', path = '', query = ''] = parts.exec(text) ?? [];
  if (start === '') return null;
  const options = new URLSearchParams(query);
  const target = options.get('target_session_attrs');
  options.delete('target_session_attrs');
  // URLSearchParams would write a blank as `+`, which pg does not decode.
  const rest = options.size > 0 ? `?${options.toString().replaceAll('+', '%20')}` : '';
  const urls = hosts.split(',').map((host) => `${start}${host}${path}${rest}`);
  const isComplete = urls.length === 1 || hosts.split(',').every((host) => host !== '');
  return isComplete && urls.every((url) => URL.canParse(url)) && !options.get('host')?.includes(',') ? { urls, target } : null;
}

/** The hosts of the URL without password, for messages. */
export const hostsOf = (text: string): string => (parseDatabaseUrl(text)?.urls ?? []).map((url) => new URL(url).host || 'local').join(', ');
