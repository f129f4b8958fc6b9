import { fill } from '../../../messages/fill.ts';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import { formAction } from './form-action.ts';
import type { OrderProps } from './order.tsx';
import { PayForm } from './pay-form.tsx';
import { amountOf } from './summary.tsx';

/** A payment that the buyer has begun. What is shown depends on what the provider asks the buyer to do. */
export function Pending(props: OrderProps) {
  const { t, page } = props;
  const action = page.payment?.action;
  const others = page.methods.filter(({ method }) => method !== page.payment?.method);
  return (
    <>
      {!action && <Begun {...props} />}
      {action?.type === 'display' && <PixCode {...props} code={action.code} />}
      {action?.type === 'redirect' && <Redirect {...props} url={action.url} />}
      {action?.type === 'client' && <Component {...props} publishableKey={action.publishableKey} clientSecret={action.clientSecret} />}
      {others.length > 0 && (
        <details class="other-way">
          <summary>
            {t.checkout.otherWay} <Icon path={icons.chevron} size={18} />
          </summary>
          <PayForm {...props} />
        </details>
      )}
    </>
  );
}

/** Asking again makes the service ask the provider, which also finds a payment whose notice was lost. */
const CheckButton = ({ frame, t, page }: OrderProps) => (
  <form method="post" action={formAction(frame, page)} data-busy>
    <input type="hidden" name="do" value="pay" />
    <input type="hidden" name="method" value={page.payment?.method} />
    <button class="button secondary" type="submit">
      {t.checkout.check}
    </button>
  </form>
);

const Begun = ({ t }: OrderProps) => (
  <Notice tone="warn" title={t.checkout.begunTitle} alert>
    <p>{t.checkout.begunText}</p>
  </Notice>
);

/** On phones the code to copy comes first: a phone cannot scan its own screen. */
function PixCode(props: OrderProps & { code: string }) {
  const { t, page, code } = props;
  const { qrCode = null, expiresAt = null } = page.payment ?? {};
  return (
    <div class="pix">
      <p class="pix-sum">
        <strong class="pix-amount">{amountOf(props, page.total)}</strong>
        {props.frame.testMoney && <span class="pill warn">{t.checkout.testMoney}</span>}
      </p>
      {qrCode && <img class="pix-picture" src={qrCode} alt={t.checkout.qrCode} width="232" height="232" />}
      <div class="pix-text">
        <label class="visually-hidden" for="pix-code">
          {t.checkout.pixCode}
        </label>
        <input id="pix-code" class="input pix-code" readOnly value={code} />
        <button class="button wide needs-script" type="button" data-copy="pix-code">
          <Icon path={icons.copy} size={18} />
          <span data-label aria-live="polite">
            {t.checkout.copy}
          </span>
        </button>
        <ol class="pix-steps">
          <li>{t.checkout.pixSteps1}</li>
          <li>{t.checkout.pixSteps2}</li>
          <li>{t.checkout.pixSteps3}</li>
        </ol>
        <p class="waiting" role="status">
          <span class="waiting-dot" aria-hidden="true" /> {t.checkout.waiting}
        </p>
        {expiresAt && (
          <p class="soft small needs-script">
            {before(t.checkout.validUntil)}
            <span data-until={expiresAt}>–:––</span>
            {after(t.checkout.validUntil)}
          </p>
        )}
        <CheckButton {...props} />
      </div>
    </div>
  );
}

/** The texts around `{time}`, which the script keeps up to date. */
const before = (text: string): string => text.split('{time}')[0] ?? '';
const after = (text: string): string => text.split('{time}')[1] ?? '';

const Redirect = (props: OrderProps & { url: string }) => (
  <div class="pending-box">
    <p class="soft">{props.t.checkout.redirectText}</p>
    <a class="button wide" href={props.url} rel="noreferrer">
      {props.t.checkout.redirect} <Icon path={icons.external} size={18} />
    </a>
    <CheckButton {...props} />
  </div>
);

/** The web component of the provider. The script mounts it; nothing of the card passes through this site. */
const Component = (props: OrderProps & { publishableKey: string; clientSecret: string }) => (
  <form
    class="pending-box"
    data-component
    data-key={props.publishableKey}
    data-secret={props.clientSecret}
    data-locale={props.frame.locale}
  >
    <p class="soft">{props.t.checkout.componentText}</p>
    <div class="component" data-component-place>
      <p class="soft needs-script">{props.t.checkout.componentLoading}</p>
    </div>
    <p class="without-script field-error">{props.t.checkout.needsScript}</p>
    <p class="field-error" role="alert" data-component-error hidden />
    <button class="button wide needs-script" type="submit" disabled>
      <Icon path={icons.shield} />
      {fill(props.t.checkout.pay, { amount: amountOf(props, props.page.total) })}
    </button>
  </form>
);
