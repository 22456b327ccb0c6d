export { createActivityStream, type ActivityBatch, type ActivityStream } from './activity-stream.ts';
