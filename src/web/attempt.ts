import type { PageEdge } from '../http/page-routes.ts';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';

/** The members of problems that pages use. */
export interface ProblemBody {
  code?: string;
  errors?: { field: string; code: string }[];
  lines?: { name: string; quantity?: number; remaining?: number }[];
  challenge?: unknown;
}

export interface Attempt<T> {
  status: number;
  body: T & ProblemBody;
}

/** Runs an operation of the API for a page. A problem is a result too, because the page shows it. */
export async function attempt<T>(
  edge: PageEdge,
  act: Act,
  operation: string,
  input: Parameters<PageEdge['perform']>[2],
): Promise<Attempt<T>> {
  const response = await edge.perform(operation, { ...act, operation }, input).catch((error: unknown) => {
    if (error instanceof Problem) return { status: error.status, body: JSON.stringify(error.describe(act.requestId)) };
    throw error;
  });
  return { status: response.status, body: JSON.parse(response.body ?? '{}') as T & ProblemBody };
}
