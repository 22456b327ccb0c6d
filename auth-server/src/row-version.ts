/**
 * What changes whenever a row does: PostgreSQL writes the transaction that changed a row last into each row, so no one who
 * changes one can forget it.
 */
export const ROW_VERSION = 'xmin::text';
