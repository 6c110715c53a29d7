import { READ, type ResourceTable } from '../../records/resource-table.js';
import { workOrderPhotoFields } from './fields.js';

export const workOrderPhotoTable: ResourceTable = {
  entityType: 'work_order_photo',
  label: 'photo',
  table: 'work_order_photos',
  collection: '/photos',
  representation: workOrderPhotoFields.representation,
  rowFilter: 'deleted_at is null',
  readAccess: READ,
};
