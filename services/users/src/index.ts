export { variables as environmentTable } from './config.ts';
export { users } from './program.ts';
export { buildServer } from './server.ts';
export { createProfileStore } from './profile-store.ts';
