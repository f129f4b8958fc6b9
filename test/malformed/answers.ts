import { problems } from '../../src/kernel/problem.ts';
import { isPlain } from './samples.ts';

export interface Seen {
  method: string;
  status: number;
  headers: Record<string, number | string | string[] | undefined>;
  body: string;
}

/** Returns everything that is wrong with a response, independent of the request. */
export function faultsOf(seen: Seen): string[] {
  if (seen.status < 400) return [];
  const faults = seen.status >= 500 ? [`status ${seen.status}${detailOf(seen)}`] : [];
  const type = String(seen.headers['content-type'] ?? 'none');
  if (!/^application\/problem\+json(;|$)/.test(type)) faults.push(`content type ${type}`);
  // A response to HEAD has no body to check.
  return seen.method === 'HEAD' ? faults : [...faults, ...faultsOfBody(seen)];
}

function faultsOfBody({ status, headers, body }: Seen): string[] {
  const problem = parse(body);
  if (!isPlain(problem)) return ['the body is not a JSON object'];
  const { code, requestId } = problem;
  const faults = ['type', 'title', 'code', 'detail', 'requestId']
    .filter((field) => typeof problem[field] !== 'string' || problem[field] === '')
    .map((field) => `no ${field}`);
  if (problem.status !== status) faults.push(`status ${String(problem.status)} in the body of a ${status}`);
  if (typeof code !== 'string' || !Object.hasOwn(problems, code)) faults.push(`code ${String(code)} is not on the list`);
  // A repeated Idempotency-Key returns the stored response. Its requestId is that of the first request.
  if (headers['idempotency-replayed'] !== 'true' && headers['x-request-id'] !== requestId) {
    faults.push(`x-request-id ${String(headers['x-request-id'])} is not requestId ${String(requestId)}`);
  }
  return faults;
}

function detailOf({ body }: Seen): string {
  const problem = parse(body);
  return isPlain(problem) && typeof problem.detail === 'string' ? ` ${problem.detail}` : '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
