import type { ProblemPage } from '../../../src/web/contract.ts';
import { fill } from '../../messages/fill.ts';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { tilePath } from '../../ui/logo.tsx';
import { href, type PageProps } from '../page.ts';

/** A page that could not be shown. It says what happened and offers the next step. */
export function ProblemView({ frame, t, page }: PageProps & { page: ProblemPage }) {
  const { problem, requestId } = page;
  const canRetry = problem === 'busy' || problem === 'limit' || problem === 'error';
  return (
    <div class="wrap problem-page">
      <svg class="problem-tile" viewBox="0 0 32 32" width="112" height="112" aria-hidden="true">
        <path d={tilePath} />
        <path class="problem-crack" d="M19 1l-4 9 3.5 4-5 7 2.5 3-3 7" />
      </svg>
      <h1>{t.problem[`${problem}Title`]}</h1>
      <p class="problem-text">{t.problem[`${problem}Text`]}</p>
      {problem === 'notFound' && (
        <form class="problem-search" action={href(frame, '/search')} role="search">
          <input
            class="input"
            type="search"
            name="q"
            maxLength={100}
            placeholder={t.common.searchEvents}
            aria-label={t.common.searchEvents}
          />
          <button class="button" type="submit">
            {t.common.search}
          </button>
        </form>
      )}
      <div class="problem-actions">
        {canRetry && (
          <a class="button" href="">
            {t.problem.retry}
          </a>
        )}
        <a class={canRetry ? 'button secondary' : 'more-link'} href={href(frame, '/')}>
          {t.problem.toHome} {!canRetry && <Icon path={icons.arrow} size={18} />}
        </a>
      </div>
      {problem === 'error' && <p class="soft small">{fill(t.problem.reference, { id: requestId })}</p>}
    </div>
  );
}
