// A table in the console, you against bots, in any game that `dig-envs engine` has:
//
//     mcs -r:System.Runtime.Serialization,System.Xml,System.Xml.Linq Table.cs
//     mono Table.exe go_dig_v0 3 hard

using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Xml;
using System.Xml.Linq;

/// JSON as XML, which .NET reads and writes without another library: an object has an element for
/// each key, a list has elements called `item`.
static class Json
{
    public static XElement Read(string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        using (var reader = JsonReaderWriterFactory.CreateJsonReader(bytes, XmlDictionaryReaderQuotas.Max))
        {
            var root = XElement.Load(reader);
            foreach (var json in root.Descendants().Where(x => x.Attribute("type").Value == "null"))
                json.RemoveNodes(); // an empty text, which could not be written
            return root;
        }
    }

    public static string Write(XElement root)
    {
        var stream = new MemoryStream();
        using (var writer = JsonReaderWriterFactory.CreateJsonWriter(stream))
            root.Save(writer);
        return Encoding.UTF8.GetString(stream.ToArray());
    }

    public static XElement Object(string name, params XElement[] entries)
    {
        return new XElement(name, new XAttribute("type", "object"), entries);
    }

    public static XElement Entry(string name, object value)
    {
        var json = value as XElement;
        if (json != null) return new XElement(name, json.Attributes(), json.Nodes());
        return new XElement(name, new XAttribute("type", value is int ? "number" : "string"), value);
    }

    public static int Int(this XElement json, string name) { return int.Parse(json.Element(name).Value); }

    public static string Text(this XElement json, string name) { return json.Element(name).Value; }
}

/// The engine: one question a line, one answer a line.
sealed class Engine : IDisposable
{
    readonly Process process;

    public Engine()
    {
        process = Process.Start(new ProcessStartInfo("dig-envs", "engine")
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            StandardOutputEncoding = Encoding.UTF8,
        });
    }

    public XElement Ask(string method, params XElement[] parameters)
    {
        process.StandardInput.WriteLine(Json.Write(Json.Object("root",
            Json.Entry("jsonrpc", "2.0"),
            Json.Entry("id", 1),
            Json.Entry("method", method),
            Json.Object("params", parameters))));
        var answer = Json.Read(process.StandardOutput.ReadLine());
        var error = answer.Element("error");
        if (error != null) throw new ArgumentException(error.Text("message"));
        return answer.Element("result");
    }

    public void Dispose()
    {
        process.StandardInput.Close(); // the engine ends
        process.WaitForExit();
    }
}

static class Table
{
    const int You = 0;

    static int Main(string[] words)
    {
        var environment = words.Length > 0 ? words[0] : "go_dig_v0";
        var numPlayers = words.Length > 1 ? int.Parse(words[1]) : 2;
        var agent = words.Length > 2 ? words[2] : "heuristic";
        using (var engine = new Engine())
        {
            try
            {
                Play(engine, environment, numPlayers, agent);
                return 0;
            }
            catch (ArgumentException error) // what the engine refuses
            {
                Console.Error.WriteLine(error.Message);
                return 1;
            }
        }
    }

    static void Play(Engine engine, string environment, int numPlayers, string agent)
    {
        var state = engine.Ask("new",
            Json.Entry("environment", environment),
            Json.Object("options", Json.Entry("num_players", numPlayers)));
        var game = Json.Entry("game", state.Text("game"));
        while (state.Text("over") == "false")
        {
            var number = int.Parse(state.Element("owing").Elements().First().Value);
            var seat = Json.Entry("seat", number);
            var seen = engine.Ask("view", game, seat); // what this seat may know, and nothing else
            var action = number == You
                ? Ask(seen)
                : engine.Ask("choose",
                    Json.Entry("environment", environment),
                    Json.Entry("view", seen.Element("view")),
                    seat,
                    Json.Entry("agent", agent)).Int("action");
            state = engine.Ask("act", game, seat, Json.Entry("action", action));
        }
        Console.WriteLine(engine.Ask("view", game, Json.Entry("seat", You)).Text("headline"));
        Console.WriteLine("Scores: " + string.Join(", ", state.Element("scores").Elements().Select(x => x.Value)));
    }

    /// The index of the action that you choose.
    static int Ask(XElement seen)
    {
        foreach (var happened in seen.Element("events").Elements())
            Console.WriteLine(happened.Text("text"));
        Console.WriteLine("\n" + seen.Text("text") + "\n" + seen.Text("headline"));
        var legal = seen.Element("legal").Elements().ToArray();
        for (var place = 0; place < legal.Length; place++)
            Console.WriteLine(place + ") " + legal[place].Text("label"));
        while (true)
        {
            var line = Console.ReadLine();
            if (line == null) throw new ArgumentException("The game was left.");
            int place;
            if (int.TryParse(line, out place) && place >= 0 && place < legal.Length)
                return legal[place].Int("action");
            Console.WriteLine("A number below " + legal.Length + ".");
        }
    }
}
