import type { Access } from '../../contracts/access.js';
import type { ResourceTable } from '../../records/resource-table.js';
import { clubOfferFields } from './fields.js';

/** A club reads its own offers only: lists filter by its key, and single offers are hidden. */
export const OFFER_READ: Access = { permission: 'read', orPermission: 'club_offers', agentScope: null };

export const clubOfferTable: ResourceTable = {
  entityType: 'club_offer',
  label: "club's offer",
  table: 'club_offers',
  collection: '/club-offers',
  representation: clubOfferFields.representation,
  readAccess: OFFER_READ,
};
