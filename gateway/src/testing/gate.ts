/** Holds callers back until it is opened: tests prove an order with it and wait for no clock. */
export interface Gate {
  /** Settles at once while the gate is open. */
  pass(): Promise<void>;
  close(): void;
  open(): void;
}

/** Makes a gate that is open. */
export function createGate(): Gate {
  let opened = Promise.resolve();
  let open = (): void => {};
  return {
    pass: () => opened,
    close() {
      opened = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
  };
}
