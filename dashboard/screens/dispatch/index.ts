export { DispatchRecord as Record } from './dispatch-record';
export { DispatchScreen as Screen } from './dispatch-screen';
