import type { BuyerField } from '../../../../src/web/order-contract.ts';
import { fill } from '../../../messages/fill.ts';
import { Field } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import { href } from '../../page.ts';
import { formAction } from './form-action.ts';
import type { OrderProps } from './order.tsx';

/** Who buys. The limits of the fields come from the contract of the API. */
export function BuyerForm(props: OrderProps) {
  const { frame, t, page } = props;
  const { form } = page;
  return (
    <form class="buyer-form" method="post" action={formAction(frame, page)} data-checked data-draft>
      <input type="hidden" name="do" value="buyer" />
      <p class="soft">{t.checkout.youText}</p>
      {form.overLimit.length > 0 && <OverLimit {...props} />}
      <BuyerInput {...props} name="name" type="text" label={t.checkout.name} autocomplete="name" autocapitalize="words" />
      <BuyerInput
        {...props}
        name="email"
        type="email"
        label={t.checkout.email}
        hint={t.checkout.emailHint}
        autocomplete="email"
        inputMode="email"
      />
      {form.document && (
        <>
          <input type="hidden" name="documentKind" value={form.document} />
          <BuyerInput
            {...props}
            name="document"
            type="text"
            label={documentLabel(props)}
            {...(form.document === 'cpf' && { hint: t.checkout.cpfHint, inputMode: 'numeric' as const })}
          />
        </>
      )}
      <button class="button wide" type="submit">
        {page.total === 0 ? t.checkout.getTickets : t.checkout.toPayment}
        <Icon path={icons.arrow} size={18} />
      </button>
    </form>
  );
}

function documentLabel({ t: { checkout }, page: { form } }: OrderProps): string {
  if (form.document === 'cpf') return form.needsDocument ? checkout.cpf : checkout.cpfOptional;
  return form.needsDocument ? checkout.documentNeeded : checkout.document;
}

interface BuyerInputProps extends OrderProps {
  name: BuyerField;
  type: 'text' | 'email';
  label: string;
  hint?: string;
  autocomplete?: string;
  autocapitalize?: string;
  inputMode?: 'email' | 'numeric';
}

/** The messages for a missing and an invalid value stand in the markup, so that the script can show them without a request. */
function BuyerInput({
  t,
  page: { form },
  name,
  type,
  label,
  hint,
  autocomplete = 'off',
  autocapitalize = 'none',
  inputMode,
}: BuyerInputProps) {
  const value = form.values[name];
  const texts = {
    name: [t.checkout.nameError, t.checkout.nameError],
    email: [t.checkout.emailMissing, t.checkout.emailError],
    document: [t.checkout.documentMissing, t.checkout.documentError],
  }[name];
  const error = form.invalid.includes(name) ? texts[value === '' ? 0 : 1] : undefined;
  return (
    <Field id={name} label={label} error={error ?? null} {...(hint && { hint })}>
      {(attributes) => (
        <input
          {...({
            class: 'input',
            type,
            name,
            value,
            autocomplete,
            autocapitalize,
            inputMode,
            maxLength: form.maxLengths[name],
            required: name !== 'document' || form.needsDocument,
            spellcheck: false,
            autofocus: form.invalid[0] === name,
            'data-missing': texts[0],
            'data-invalid': texts[1],
            'data-cpf': name === 'document' && form.document === 'cpf' ? '' : undefined,
            ...attributes,
          } as object)}
        />
      )}
    </Field>
  );
}

const OverLimit = ({ frame, t, page: { form, event } }: OrderProps) => (
  <Notice tone="bad" title={t.checkout.overLimit} alert>
    <ul class="plain-list">
      {form.overLimit.map(({ name, quantity, remaining }) => (
        <li>{fill(remaining > 0 ? t.checkout.overLimitLine : t.checkout.overLimitNone, { name, quantity, remaining })}</li>
      ))}
    </ul>
    <p>
      <a href={`${href(frame, event.path)}#tickets`}>{t.checkout.chooseAgain}</a>
    </p>
  </Notice>
);
