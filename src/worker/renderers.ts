import type { Config } from '../config.ts';
import { renderConfirmation, renderRefund } from '../orders/order-mails.ts';
import { renderExportReady } from '../platform/mail/export-ready.ts';
import type { Renderers } from '../platform/mail/send-mail.ts';

/** Each kind of mail is rendered by the capability that has its data. */
export const renderersOf = ({ publicUrl }: Config): Renderers => ({
  order_confirmation: renderConfirmation(publicUrl),
  order_refunded: renderRefund(publicUrl),
  export_ready: renderExportReady,
});
