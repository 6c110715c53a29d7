/** The groups in which the document shows its routes, in this order. */
export const tags = [
  { name: 'Invoices', description: 'What is billed' },
  { name: 'Suggestions', description: 'Money left behind, found by the clock' },
  { name: 'Claims', description: 'What is asked of motor clubs' },
  { name: 'Work orders', description: 'Jobs from call to completion' },
  { name: 'Customers', description: 'Who is billed' },
  { name: 'Approvals', description: 'What waits for a human' },
  { name: 'Fleet', description: 'Trucks, drivers and inspections, the prices of jobs, and the yard' },
  { name: 'Events', description: 'What happened, as a list and as a live stream' },
  { name: 'Webhooks', description: 'Your receivers, and what was delivered to them' },
  { name: 'Exports', description: 'Records as files' },
  { name: 'Access', description: 'Keys, limits and the outcome of writes' },
  { name: 'Description', description: 'This document' },
];
