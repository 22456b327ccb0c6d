import type { Client, Connection, Submittable } from 'pg';

/** A column of a prepared statement. */
export interface DescribedColumn {
  readonly name: string;
  /** Oid of its type. */
  readonly type: number;
  /** Oid of the table that it is read from; 0 for an expression. */
  readonly table: number;
  /** Its number there. */
  readonly number: number;
}

/** What PostgreSQL says of a statement that it has prepared. */
export interface DescribedStatement {
  /** Oids of types. */
  readonly parameters: readonly number[];
  readonly columns: readonly DescribedColumn[];
}

/**
 * Has PostgreSQL prepare a statement, without running it.
 *
 * @throws DatabaseError when it can't be prepared
 */
export function describeStatement(client: Client, text: string): Promise<DescribedStatement> {
  return new Promise((resolve, reject) => {
    client.query(new DescribeRequest(text, resolve, reject));
  });
}

interface RowDescriptionMessage {
  readonly fields: readonly {
    readonly name: string;
    readonly tableID: number;
    readonly columnID: number;
    readonly dataTypeID: number;
  }[];
}

interface ParameterDescriptionMessage {
  readonly dataTypeIDs: readonly number[];
}

/** What of pg's connection the extended query protocol needs. pg's own queries always bind and run as well. */
interface ExtendedQuery {
  parse(query: { readonly text: string; readonly name: string }): void;
  describe(target: { readonly type: 'S'; readonly name: string }): void;
  sync(): void;
  once(event: 'parameterDescription', listener: (message: ParameterDescriptionMessage) => void): void;
}

/** The unnamed statement: the next one takes its place. */
const UNNAMED = '';

/** Parse, Describe, Sync. PostgreSQL, "Message Flow: Extended Query" */
class DescribeRequest implements Submittable {
  readonly #text: string;
  readonly #resolve: (described: DescribedStatement) => void;
  readonly #reject: (error: unknown) => void;
  #columns: readonly DescribedColumn[] = [];
  #parameters: readonly number[] = [];

  constructor(
    text: string,
    resolve: (described: DescribedStatement) => void,
    reject: (error: unknown) => void,
  ) {
    this.#text = text;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: Connection): void {
    const protocol = connection as unknown as ExtendedQuery; // what its types leave out
    protocol.once('parameterDescription', ({ dataTypeIDs }) => (this.#parameters = dataTypeIDs));
    protocol.parse({ text: this.#text, name: UNNAMED });
    protocol.describe({ type: 'S', name: UNNAMED });
    protocol.sync();
  }

  handleRowDescription({ fields }: RowDescriptionMessage): void {
    this.#columns = fields.map(({ name, dataTypeID, tableID, columnID }) => ({
      name,
      type: dataTypeID,
      table: tableID,
      number: columnID,
    }));
  }

  handleError(error: unknown): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve({ parameters: this.#parameters, columns: this.#columns });
  }
}
