export { ConnectionRecord as Record } from './connection/connection-record';
export { IntegrationsScreen as Screen } from './integrations-screen';
