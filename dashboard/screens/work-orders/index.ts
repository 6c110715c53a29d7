export { WorkOrderRecord as Record } from './work-order-record';
export { WorkOrdersScreen as Screen } from './work-orders-screen';
