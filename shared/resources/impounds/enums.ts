import { namedEnum } from '../../contracts/named-enum.js';
import { IMPOUND_STATUSES, PATCHABLE_IMPOUND_STATUSES, RELEASE_KINDS } from './transitions.js';

const STATUS_MEANINGS = {
  stored: 'In the yard',
  hold: 'In the yard, and may not leave until the hold ends',
  pending_release: 'In the yard, and about to be picked up',
  released: 'Has left the yard. Storage has ended',
  lien: 'In the yard, with a lien for unpaid storage under way',
  auction: 'In the yard, to be sold at auction',
  disposed: 'Sold or scrapped. Storage has ended',
};

export const impoundStatus = namedEnum('ImpoundStatus', IMPOUND_STATUSES, STATUS_MEANINGS);

export const patchableImpoundStatus = namedEnum(
  'PatchableImpoundStatus',
  PATCHABLE_IMPOUND_STATUSES,
  STATUS_MEANINGS,
);

export const releaseKind = namedEnum('ReleaseKind', RELEASE_KINDS, {
  owner: 'To its owner',
  insurance: 'To an insurance company',
  lienholder: 'To the lender that holds the title',
  no_charge: 'Without a charge: storage that is not invoiced yet is waived',
  surrendered: 'The owner gave up the vehicle',
  junked: 'To a scrap yard',
  bill_account: 'To be billed to the customer account',
});
