import { authServerRooms } from './floors/auth-server.ts';
import { cliRooms } from './floors/cli.ts';
import { gatewayRooms } from './floors/gateway.ts';
import type { Project } from './floors/project.ts';
import { packagesRooms, repositoryRooms, servicesRooms } from './floors/repository.ts';
import { scriptsRooms } from './floors/scripts.ts';

/** Every room, its floor and its purpose: `npm run check` holds all imports against it, docs/architecture.md draws it. */
export const projects: readonly Project[] = [
  repositoryRooms,
  scriptsRooms,
  cliRooms,
  gatewayRooms,
  authServerRooms,
  servicesRooms,
  packagesRooms,
];
