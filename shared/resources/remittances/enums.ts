import { namedEnum } from '../../contracts/named-enum.js';

export const remittanceStatus = namedEnum('RemittanceStatus', ['matched', 'partly_applied', 'applied'], {
  matched: 'Its lines are compared with the claims, and no payment is recorded yet',
  partly_applied: 'Payments are recorded, and some lines are still open',
  applied: 'Every line is applied or ignored',
});
