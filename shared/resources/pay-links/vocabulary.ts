import { namedEnum } from '../../contracts/named-enum.js';

export const payLinkStatus = namedEnum('PayLinkStatus', ['opening', 'open', 'paid', 'closed', 'failed'], {
  opening: 'The vendor has not opened the page yet',
  open: 'The customer can pay at `url` until `expires_at`',
  paid: 'The customer has paid',
  closed: 'The invoice has changed or was paid otherwise, or a newer link replaced this one',
  failed: 'The vendor refused to open the page; `error` says why',
});
