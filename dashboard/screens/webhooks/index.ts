export { EndpointRecord as Record } from './endpoints/endpoint-record';
export { WebhooksScreen as Screen } from './webhooks-screen';
