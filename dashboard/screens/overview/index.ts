export { OverviewScreen as Screen } from './overview-screen';
