import Type from 'typebox';

/** The figures of sales, in cents and tickets, that all reports share. */
export const figures = {
  sold: Type.Integer({ minimum: 0, description: 'Units sold and not refunded, without courtesies' }),
  courtesy: Type.Integer({ minimum: 0, description: 'Units of courtesy items given and not refunded' }),
  refunded: Type.Integer({ minimum: 0, description: 'Units refunded. They are not included in `sold` or `courtesy`' }),
  gross: Type.Integer({ description: 'Price of all units sold and not refunded' }),
  feeSale: Type.Integer({ description: 'Fees that buyers paid on top of the price' }),
  feeProducer: Type.Integer({ description: 'Fees that the producer pays' }),
  net: Type.Integer({ description: 'The amount that the producer receives: gross − feeProducer' }),
  paid: Type.Integer({ description: 'The amount that buyers paid, minus refunds: gross + feeSale' }),
};
