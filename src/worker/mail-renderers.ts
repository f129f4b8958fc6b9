import { renderInvitation, renderPasswordReset } from '../accounts/account-mails.ts';
import { renderPayoutChanged } from '../accounts/payout-mail.ts';
import type { Config } from '../config.ts';
import { renderBuyerEmailChanged } from '../orders/buyer-email-mail.ts';
import { renderConfirmation, renderRefund } from '../orders/order-mails.ts';
import { renderDispute } from '../payments/dispute-mails.ts';
import { renderExportReady } from '../platform/mail/export-ready.ts';
import type { Renderers } from '../platform/mail/send-mail.ts';
import { renderJoined, renderOffer } from '../waiting-list/waiting-mails.ts';

/** The functions that render each kind of mail. Each function comes from the capability that owns the data of the mail. */
export const mailRenderersOf = ({ publicUrl }: Config): Renderers => ({
  order_confirmation: renderConfirmation(publicUrl),
  order_refunded: renderRefund(publicUrl),
  buyer_email_changed: renderBuyerEmailChanged,
  payout_changed: renderPayoutChanged,
  invitation: renderInvitation(publicUrl),
  password_reset: renderPasswordReset(publicUrl),
  payment_disputed: renderDispute,
  export_ready: renderExportReady,
  waiting_list_joined: renderJoined(publicUrl),
  waiting_list_offer: renderOffer(publicUrl),
});
