import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Sends queries by the client that Java has, with all its defaults, and prints what comes back: a line for each. */
final class SendQueries {
  public static void main(String[] arguments) throws Exception {
    var client = HttpClient.newHttpClient();
    var url = arguments[0];
    var authorization = arguments[1];
    var query = "{\"query\":\"{ me { name } }\"}";
    for (var body : new String[] {query, query, query + " ".repeat(100_000)}) {
      var request = HttpRequest.newBuilder(URI.create(url))
          .header("content-type", "application/json")
          .header("authorization", authorization)
          .POST(BodyPublishers.ofString(body))
          .build();
      print(client, request);
    }
    var address = URI.create(url + "?query=%7Bme%7Bname%7D%7D");
    print(client, HttpRequest.newBuilder(address).header("authorization", authorization).build());
    System.out.println(acknowledgement(client, url.replace("http:", "ws:")));
  }

  private static void print(HttpClient client, HttpRequest request) throws Exception {
    var response = client.send(request, BodyHandlers.ofString());
    System.out.println(response.statusCode() + " " + response.body());
  }

  private static String acknowledgement(HttpClient client, String url) throws Exception {
    var received = new CompletableFuture<String>();
    var listener = new WebSocket.Listener() {
      @Override
      public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean isLast) {
        received.complete(text.toString());
        return null;
      }
    };
    var builder = client.newWebSocketBuilder().subprotocols("graphql-transport-ws");
    var socket = builder.buildAsync(URI.create(url), listener).get(20, TimeUnit.SECONDS);
    socket.sendText("{\"type\":\"connection_init\"}", true);
    var text = received.get(20, TimeUnit.SECONDS);
    socket.abort();
    return text;
  }
}
