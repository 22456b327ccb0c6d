/** The release whose behaviour this server follows; clients choose commands by it. */
export const SERVER_VERSION = '7.0.15';
