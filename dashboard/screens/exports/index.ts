export { ExportsScreen as Screen } from './exports-screen';
export { OpenRecord as Record } from './open-record';
