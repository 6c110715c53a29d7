export { CustomerRecord as Record } from './customer-record';
export { CustomersScreen as Screen } from './customers-screen';
