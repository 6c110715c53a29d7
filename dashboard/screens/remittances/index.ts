export { RemittanceRecord as Record } from './remittance-record';
export { RemittancesScreen as Screen } from './remittances-screen';
