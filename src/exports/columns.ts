import type { Locale } from '../kernel/locale.ts';

/**
 * How a cell is written. `text` is user input, so it is protected against formula injection. `word` is a fixed value such as a status.
 * `time` is converted to the time zone of the event. `money` is stored in cents and written with two decimals.
 */
export type CellKind = 'text' | 'word' | 'number' | 'money' | 'time';

/** A column of a file. Clients rely on the columns: add new columns at the end, and never rename, move or remove a column. */
export interface Column {
  key: string;
  kind: CellKind;
  title: Record<Locale, string>;
}

const column = (key: string, kind: CellKind, en: string, portuguese: string, es: string): Column => ({
  key,
  kind,
  title: { en, 'pt-BR': portuguese, es },
});

export const transactionColumns = [
  column('orderId', 'number', 'Order', 'Pedido', 'Pedido'),
  column('status', 'word', 'Status', 'Situação', 'Estado'),
  column('createdAt', 'time', 'Created', 'Criado em', 'Creado'),
  column('approvedAt', 'time', 'Approved', 'Aprovado em', 'Aprobado'),
  column('channel', 'number', 'Channel', 'Canal', 'Canal'),
  column('paymentMethod', 'word', 'Payment method', 'Forma de pagamento', 'Forma de pago'),
  column('buyerName', 'text', 'Buyer', 'Comprador', 'Comprador'),
  column('buyerEmail', 'text', 'E-mail', 'E-mail', 'Correo electrónico'),
  column('buyerDocument', 'text', 'Document', 'Documento', 'Documento'),
  column('itemId', 'number', 'Item id', 'Id do item', 'Id del artículo'),
  column('item', 'text', 'Item', 'Item', 'Artículo'),
  column('sessions', 'text', 'Sessions', 'Sessões', 'Funciones'),
  column('passkey', 'text', 'Passkey', 'Código de acesso', 'Código de acceso'),
  column('quantity', 'number', 'Quantity', 'Quantidade', 'Cantidad'),
  column('refunded', 'number', 'Refunded', 'Reembolsados', 'Reembolsados'),
  column('price', 'money', 'Price', 'Preço', 'Precio'),
  column('feeSale', 'money', 'Fee paid by the buyer', 'Taxa paga pelo comprador', 'Cargo pagado por el comprador'),
  column('feeProducer', 'money', 'Fee paid by the producer', 'Taxa paga pelo produtor', 'Cargo pagado por el productor'),
  column('total', 'money', 'Total', 'Total', 'Total'),
  column('refundedTotal', 'money', 'Total refunded', 'Total reembolsado', 'Total reembolsado'),
  column('currency', 'word', 'Currency', 'Moeda', 'Moneda'),
];

export const passkeyColumns = [
  column('passkeyId', 'number', 'Passkey id', 'Id do código', 'Id del código'),
  column('passkey', 'text', 'Passkey', 'Código de acesso', 'Código de acceso'),
  column('status', 'word', 'Status', 'Situação', 'Estado'),
  column('start', 'time', 'Start', 'Início', 'Inicio'),
  column('finish', 'time', 'Finish', 'Fim', 'Fin'),
  column('limit', 'number', 'Limit', 'Limite', 'Límite'),
  column('used', 'number', 'Used', 'Usados', 'Usados'),
  column('held', 'number', 'Held', 'Reservados', 'Reservados'),
  column('items', 'text', 'Items', 'Itens', 'Artículos'),
  column('createdAt', 'time', 'Created', 'Criado em', 'Creado'),
];

/** Columns that are left out of files for users who may not see personal data. */
export const personalColumns: ReadonlySet<string> = new Set(['email', 'document', 'buyerEmail', 'buyerDocument']);

export const guestColumns = [
  column('kind', 'word', 'Kind', 'Tipo', 'Tipo'),
  column('id', 'number', 'Id', 'Id', 'Id'),
  column('code', 'text', 'Imported code', 'Código importado', 'Código importado'),
  column('orderId', 'number', 'Order', 'Pedido', 'Pedido'),
  column('itemId', 'number', 'Item id', 'Id do item', 'Id del artículo'),
  column('item', 'text', 'Item', 'Item', 'Artículo'),
  column('sessions', 'text', 'Sessions', 'Sessões', 'Funciones'),
  column('name', 'text', 'Name', 'Nome', 'Nombre'),
  column('email', 'text', 'E-mail', 'E-mail', 'Correo electrónico'),
  column('document', 'text', 'Document', 'Documento', 'Documento'),
  column('channel', 'number', 'Channel', 'Canal', 'Canal'),
  column('status', 'word', 'Status', 'Situação', 'Estado'),
  column('checkedAt', 'time', 'Checked at', 'Entrada em', 'Entrada'),
  column('gate', 'text', 'Gate', 'Portão', 'Puerta'),
];
