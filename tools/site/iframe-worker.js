// Search on pages that are opened as files: browsers refuse workers there. This one runs the worker's script in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.inner = new Promise((done) => {
        frame.onload = () => {
          const inner = frame.contentWindow;
          inner.postMessage = (data) => this.answer(data);
          const script = inner.document.createElement("script");
          script.onload = () => done(inner);
          script.src = url;
          inner.document.head.append(script);
        };
      });
      document.documentElement.append(frame);
    }

    answer(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }

    postMessage(data) {
      this.inner.then((inner) => inner.dispatchEvent(new inner.MessageEvent("message", { data })));
    }

    terminate() {}
  };
}
